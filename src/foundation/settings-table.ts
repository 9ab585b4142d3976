/**
 * Settings as tables. A room declares each of its settings once, with default, unit and range, and how they must stand to
 * each other; one check finds every problem, in words for the person who set them. What a setting means is said in the
 * interface. A reference of all settings can be printed from the tables.
 */
import { assert } from './assert.ts'
import { isRecord } from './is-object.ts'
import { show } from './show.ts'
import { type NamePlaces, unknownSettings } from './unknown-names.ts'

/** One value that can be set. */
export interface Setting<Value> {
  readonly default: Value
  /** What it must be: goes on after "must be". */
  readonly range: string
  /** What it counts or measures; undefined for what is no number. */
  readonly unit?: string | undefined
  readonly check: (name: string, given: unknown, figures: Figures, places?: NamePlaces) => string[]
  /** Of the settings within this one. */
  readonly table?: AnyTable
}

/** Any table, for those who walk through all of them. */
export interface AnyTable {
  readonly settings: object
  readonly relations: readonly string[]
  complete(chosen: unknown): object
  sound(given: unknown): object
}

/** A table, or several of which one holds. */
export interface TableOf<Settings extends object> extends AnyTable {
  readonly defaults: Settings
  problemsWith(given: unknown, figures?: Figures, path?: string, places?: NamePlaces): string[]
}

/** Numbers that settings must go together with and that are not set here, by what relations call them. */
export type Figures = Readonly<Record<string, number>>

/** What can be said of two values, or of two together and a third, and what happens otherwise. */
const relationForm =
  /^\{([^}]+)\}(?: and \{([^}]+)\} together)? must be (less than|at least|at most) (half of |twice )?\{([^}]+)\}/

const factors: Readonly<Record<string, number>> = { 'half of ': 0.5, 'twice ': 2 }

type Rows<Settings> = { readonly [Name in keyof Settings]-?: Setting<Settings[Name]> }

/** All settings of one room, or of a section within them. */
export class SettingsTable<Settings extends object> implements TableOf<Settings> {
  readonly settings: Rows<Settings>
  readonly relations: readonly string[]
  /** What holds where nothing was chosen. */
  readonly defaults: Settings
  readonly #rows: readonly (readonly [name: string, row: Setting<unknown>])[]
  readonly #figuresOf: (settings: Settings) => Figures

  /**
   * Relations are sentences: `{aMs} must be less than {bMs}, or so and so happens`. Names in braces are those of settings,
   * by their path, and of figures; a problem shows the value behind each. `figuresOf` gives what follows from settings.
   */
  constructor(
    settings: Rows<Settings>,
    relations: readonly string[] = [],
    figuresOf: (settings: Settings) => Figures = () => ({}),
  ) {
    this.settings = settings
    this.relations = relations
    this.#rows = Object.entries(settings) as [string, Setting<unknown>][]
    this.#figuresOf = figuresOf
    this.defaults = Object.fromEntries(
      this.#rows.map(([name, row]) => [name, row.default]),
    ) as Settings
  }

  /** The same settings with other defaults. */
  withDefaults(defaults: Partial<Settings>): SettingsTable<Settings> {
    const rows = this.#rows.map(([name, row]) =>
      name in defaults
        ? [name, { ...row, default: defaults[name as keyof Settings] }]
        : [name, row],
    )
    return new SettingsTable(
      Object.fromEntries(rows) as Rows<Settings>,
      this.relations,
      this.#figuresOf,
    )
  }

  /** What was chosen, with defaults for the rest, also within sections. Nothing is checked. */
  complete(chosen: unknown): Settings {
    if (chosen === undefined) return this.defaults
    if (!isRecord(chosen)) return chosen as Settings
    const sections = this.#rows.flatMap(([name, { table }]) =>
      table === undefined ? [] : [[name, table.complete(chosen[name])] as const],
    )
    return { ...this.defaults, ...chosen, ...Object.fromEntries(sections) }
  }

  /** The same settings with defaults in place of what is out of range. */
  sound(given: unknown): Settings {
    if (!isRecord(given)) return this.defaults
    const values = this.#rows.map(([name, { table, check, default: byDefault }]) => {
      if (table !== undefined) return [name, table.sound(given[name])]
      return [name, check(name, given[name], {}).length === 0 ? given[name] : byDefault]
    })
    return Object.fromEntries(values) as Settings
  }

  /** Every problem of complete settings; empty when all is well. `path` goes before each name; `places` has names from elsewhere. */
  problemsWith(given: unknown, figures: Figures = {}, path = '', places?: NamePlaces): string[] {
    if (!isRecord(given)) {
      return [`${path.slice(0, -1) || 'settings'} must be an object, not ${show(given)}`]
    }
    const all = { ...figures, ...this.#figuresOf(this.sound(given)) }
    return [
      ...unknownSettings(given, this.settings, 'a setting', path, places),
      ...this.#rows.flatMap(([name, { check }]) =>
        check(`${path}${name}`, given[name], figures, places),
      ),
      ...this.relations.flatMap((words) => this.#brokenRelation(words, given, all, path)),
    ]
  }

  #brokenRelation(words: string, given: object, figures: Figures, path: string): string[] {
    const [, first = '', second, must, factor = '', limit = ''] = relationForm.exec(words) ?? []
    assert(must !== undefined, `no relation between settings: ${words}`)
    const valueOf = (name: string) => Number(figures[name] ?? valueAt(given, name))
    for (const name of [first, second, limit]) {
      if (name === undefined) continue
      const row = rowAt(this.settings, name)
      assert(name in figures || row !== undefined, `neither a setting nor a figure: ${name}`)
      // What is out of range has been told, and nothing can be compared with it.
      if (row !== undefined && row.check(name, valueAt(given, name), figures).length > 0) return []
    }
    const left = valueOf(first) + (second === undefined ? 0 : valueOf(second))
    const right = valueOf(limit) * (factors[factor] ?? 1)
    const isBroken =
      must === 'less than' ? left >= right : must === 'at most' ? left > right : left < right
    if (!isBroken) return []
    const withValue = (_: string, name: string) =>
      `${rowAt(this.settings, name) === undefined ? '' : path}${name} (${valueOf(name)})`
    return [words.replace(/\{([^}]+)\}/g, withValue)]
  }
}

/** Undefined when there is no such setting. */
function rowAt(settings: object, path: string): Setting<unknown> | undefined {
  const [name = '', ...rest] = path.split('.')
  const row = Object.hasOwn(settings, name)
    ? (settings as Rows<Readonly<Record<string, unknown>>>)[name]
    : undefined
  if (rest.length === 0) return row
  return row?.table === undefined ? undefined : rowAt(row.table.settings, rest.join('.'))
}

function valueAt(settings: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((within, name) => (isRecord(within) ? within[name] : undefined), settings)
}
