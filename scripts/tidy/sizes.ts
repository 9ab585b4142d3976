/** Small enough to read at once: `file-length` and `function-length`. */
import { functionsOf, type FunctionSpan } from './functions.ts'
import { fileLinesMax, functionLinesMax, oneFile } from './house.ts'
import type { SourceFile } from './source-file.ts'
import type { Violation } from './violation.ts'

export function sizes(file: SourceFile): Violation[] {
  return [...fileLength(file), ...functionLengths(file)]
}

function fileLength({ path, text, comments }: SourceFile): Violation[] {
  const lines = text.replace(/\n$/, '').split('\n').length
  const isExplained = comments[0]?.text.includes(oneFile) === true
  const max = isExplained ? fileLinesMax.explained : fileLinesMax.plain
  if (lines <= max) return []
  const more = `; or the opening comment says "${oneFile} …", for at most ${fileLinesMax.explained}`
  const advice = `${lines} lines, at most ${max}; look for the second subject in it${isExplained ? '' : more}`
  return [{ path, line: max + 1, rule: 'file-length', advice }]
}

function functionLengths(file: SourceFile): Violation[] {
  const violations: Violation[] = []
  const spans = functionsOf(file)
  const chapters = file.isTest ? spans.filter((span) => span.isChapter) : []
  for (const span of spans) {
    const lines = chapters.includes(span) ? 0 : linesOf(span, chapters)
    if (lines <= functionLinesMax) continue
    const advice = `${lines} lines, at most ${functionLinesMax}; name its parts as functions`
    violations.push({ path: file.path, line: span.firstLine, rule: 'function-length', advice })
  }
  return violations
}

/** Lines of a function without the chapters of tests in it: a suite may be as long as it has tests. */
function linesOf(span: FunctionSpan, chapters: readonly FunctionSpan[]): number {
  const inside = chapters.filter(
    (chapter) => chapter.firstLine >= span.firstLine && chapter.lastLine <= span.lastLine,
  )
  let lines = 0
  for (let line = span.firstLine; line <= span.lastLine; line++) {
    if (!inside.some((chapter) => line >= chapter.firstLine && line <= chapter.lastLine)) lines++
  }
  return lines
}
