/** The commands of a page of the guide: the lines `npx sherd …` in its blocks, each as the words a shell makes of it. */
export function commandsIn(page: string, text: string): string[][] {
  const lines = text.split('\n').map((line) => line.trim())
  const commands = lines.filter((line) => line.startsWith('npx sherd '))
  if (commands.length === 0) throw new Error(`${page} has no commands`)
  return commands.map((line) => {
    const [, , ...words] = line.replace(/ > .*$/, '').match(/'[^']*'|\S+/g) ?? []
    return words.map((word) => word.replace(/^'(.*)'$/, '$1'))
  })
}
