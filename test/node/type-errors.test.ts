/** What the compiler says of a wrong definition: one error for each mistake, at the handler that has it, in readable words. */
import { execFile } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))
const folder = join(root, 'build', 'type-errors')

/** Every line with a mistake ends with `// !` and words of its error. */
const program = `
import { defineEntity } from '../../src/entity/index.ts'

class Money {
  readonly cents = 1
  plus(cents: number): number {
    return this.cents + cents
  }
}

class Secret {
  readonly #word = 'x'
  static wordOf(secret: Secret): string {
    return secret.#word
  }
}

export const Events = defineEntity('Events', {
  state: () => ({ count: 0 }),
  events: {
    Good: (state, by: number) => ({ count: state.count + by }),
    OtherShape: (state, by: number) => ({ total: state.count + by }), // ! Property 'count' is missing in type '{ total: number; }' but required in type '{ readonly count: number; }'
    Parameterless: () => ({ total: 1 }), // ! Property 'count' is missing in type '{ total: number; }'
    Forgotten: (state) => { void state }, // ! Type 'void' is not assignable to type '{ readonly count: number; }'
    Async: async (state) => ({ count: state.count }), // ! Property 'count' is missing in type 'Promise<{ count: number; }>'
    Function: (state, _by: () => void) => state, // ! _by: CannotTravel<"a function: send data">
    Deep: (state, _by: { readonly list: readonly symbol[] }) => state, // ! CannotTravel<"a symbol: send a text">
  },
  commands: {
    get: (self) => self.state.count,
    increment: (self, by: number) => self.persist('Good', by).count,
  },
})

export const Commands = defineEntity('Commands', {
  state: () => ({ count: 0 }),
  events: { Good: (state, by: number) => ({ count: state.count + by }) },
  commands: {
    increment: (self, by: number) => self.persist('Good', by).count,
    function: (self) => () => self.state.count, // ! Type '() => number' is not assignable to type 'CannotTravel<"a function: send data">'
    symbol: (self) => ({ id: self.id, mark: Symbol('a') }), // ! Type 'symbol' is not assignable to type 'CannotTravel<"a symbol: send a text">'
    later: async (self) => ({ id: self.id, run: () => 1 }), // ! Type '() => number' is not assignable to type 'CannotTravel<"a function: send data">'
    methods: (self) => ({ id: self.id, money: new Money() }), // ! The types of 'money.plus' are incompatible
    private: (self) => [self.id, new Secret()], // ! Type 'Secret' is not assignable to type 'string | CannotTravel<"an instance of a class: send a plain object">'
    pattern: (self) => ({ pattern: new RegExp(self.id) }), // ! CannotTravel<"a function: send data">
    inMap: (self) => new Map([[self.id, () => 1]]), // ! CannotTravel<"a function: send data">
    argument: (self, run: () => void) => { run(); return self.id }, // ! run: CannotTravel<"a function: send data">
  },
})

export const Plain = defineEntity('Plain', {
  state: () => ({ count: 0 }),
  commands: {
    bell: () => ({ ring: () => 'ding' }), // ! Type '() => string' is not assignable to type 'CannotTravel<"a function: send data">'
    get: (self) => self.state.count,
    persist: (self): unknown => self.persist('Good'), // ! Property 'persist' does not exist on type 'PlainSelf<{ count: number; }>'
  },
})

export const NoFunction = defineEntity('NoFunction', {
  state: () => ({ count: 0 }),
  commands: {
    get: (self) => self.state.count,
    number: 5, // ! Type 'number' is not assignable to type '(self: PlainSelf<{ count: number; }>
  },
})
`

interface TypeError {
  readonly line: number
  readonly text: string
}

function compile(): Promise<string> {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'program.ts'), program)
  const tsconfig = { extends: '../../tsconfig.json', include: ['program.ts'] }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(tsconfig))
  const compiler = join(root, 'node_modules/typescript/bin/tsc')
  const words = [compiler, '-p', folder, '--pretty', 'false', '--noErrorTruncation', 'true']
  return new Promise((resolve) => {
    execFile(process.execPath, words, { cwd: folder }, (_, stdout) => resolve(stdout))
  })
}

function errorsIn(output: string): TypeError[] {
  return [...output.matchAll(/^program\.ts\((\d+),\d+\): (error .*(?:\n {2}.*)*)/gm)].map(
    ([, line, text = '']) => ({ line: Number(line), text }),
  )
}

test('every mistake in a definition is one error, at its handler, that says what is wrong', async () => {
  const output = await compile()
  const expected = program.split('\n').flatMap((text, index): TypeError[] => {
    const words = / \/\/ ! (.*)$/.exec(text)?.[1]
    return words === undefined ? [] : [{ line: index + 1, text: words }]
  })
  const found = errorsIn(output)
  expect(found).toEqual(
    expected.map(({ line, text }) => ({ line, text: expect.stringContaining(text) as string })),
  )
  // Nothing but these, in no other file.
  expect(output.match(/: error TS/g)).toHaveLength(expected.length)
})
