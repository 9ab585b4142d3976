/**
 * Settings as tables. A room declares each of its settings once, with default, unit and range, and how they must stand to
 * each other; one check finds every problem, in words for the person who set them. What a setting means is said in the
 * interface. A reference of all settings can be printed from the tables.
 */
import { unknownSettings } from './invalid-settings.ts'
import { isRecord } from './is-object.ts'
import { show } from './show.ts'

/** One value that can be set. */
export interface Setting<Value> {
  readonly default: Value
  /** What it must be: goes on after "must be". */
  readonly range: string
  /** What it counts or measures; undefined for what is no number. */
  readonly unit?: string | undefined
  readonly check: (name: string, given: unknown, figures: object) => string[]
  /** Of the settings within this one. */
  readonly table?: AnyTable
}

/** Any table, for those who walk through all of them. */
export interface AnyTable {
  readonly settings: object
  readonly relations: readonly { readonly words: string }[]
  complete(chosen: unknown): object
}

/** What must hold between settings. `Figures` are numbers from elsewhere that settings must go together with. */
export interface Relation<Settings, Figures> {
  /**
   * What must hold and what happens otherwise. Names of settings and figures stand in braces, such as `{downing.role}`: a
   * problem shows the value behind each.
   */
  readonly words: string
  readonly holds: (settings: Settings, figures: Figures) => boolean
  /** Values to show and to compare that are not set but follow from settings. */
  readonly figures?: (settings: Settings) => Readonly<Record<string, number>>
}

type Rows<Settings> = { readonly [Name in keyof Settings]-?: Setting<Settings[Name]> }
type Names = Readonly<Record<string, unknown>>

const nameInBraces = /\{([^}]+)\}/g

/** All settings of one room, or of a section within them. */
export class SettingsTable<
  Settings extends object,
  Figures extends object = object,
> implements AnyTable {
  readonly settings: Rows<Settings>
  readonly relations: readonly Relation<Settings, Figures>[]
  /** What holds where nothing was chosen. */
  readonly defaults: Settings
  readonly #rows: readonly (readonly [name: string, row: Setting<unknown>])[]

  constructor(settings: Rows<Settings>, relations: readonly Relation<Settings, Figures>[] = []) {
    this.settings = settings
    this.relations = relations
    this.#rows = Object.entries(settings) as [string, Setting<unknown>][]
    this.defaults = Object.fromEntries(
      this.#rows.map(([name, row]) => [name, row.default]),
    ) as Settings
  }

  /** The same settings with other defaults. */
  withDefaults(defaults: Partial<Settings>): SettingsTable<Settings, Figures> {
    const rows = this.#rows.map(([name, row]) =>
      name in defaults
        ? [name, { ...row, default: defaults[name as keyof Settings] }]
        : [name, row],
    )
    return new SettingsTable(Object.fromEntries(rows) as Rows<Settings>, this.relations)
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

  /** Every problem of complete settings; empty when all is well. `path` goes before each name. */
  problemsWith(
    given: unknown,
    ...[figures = {} as Figures, path = '']: object extends Figures
      ? [figures?: Figures, path?: string]
      : [figures: Figures, path?: string]
  ): string[] {
    if (!isRecord(given)) {
      return [`${path.slice(0, -1) || 'settings'} must be an object, not ${show(given)}`]
    }
    const problems = unknownSettings(given, this.settings, 'a setting', path)
    for (const [name, { check }] of this.#rows) {
      problems.push(...check(`${path}${name}`, given[name], figures))
    }
    const settings = given as Settings
    return [
      ...problems,
      ...this.relations.flatMap((relation) => this.#ifBroken(relation, settings, figures, path)),
    ]
  }

  #ifBroken(
    { words, holds, figures: figuresOf }: Relation<Settings, Figures>,
    settings: Settings,
    given: Figures,
    path: string,
  ): string[] {
    const names = [...words.matchAll(nameInBraces)].map(([, name = '']) => name)
    const isWrong = (name: string) =>
      rowAt(this.settings, name)?.check(name, valueAt(settings, name), given)[0] !== undefined
    // What is out of range has been told, and nothing can be compared with it, or with what follows from it.
    if (names.some(isWrong)) return []
    const figures = { ...given, ...figuresOf?.(settings) }
    if (Object.values(figures).some(Number.isNaN) || holds(settings, figures)) return []
    const inWords = (_: string, name: string) => {
      const value = (figures as Names)[name] ?? valueAt(settings, name)
      const isSetting = rowAt(this.settings, name) !== undefined
      return `${isSetting ? path : ''}${name} (${show(value)})`
    }
    return [words.replace(nameInBraces, inWords)]
  }
}

/** Undefined when there is no such setting. */
function rowAt(settings: object, name: string): Setting<unknown> | undefined {
  const [first = '', ...rest] = name.split('.')
  const row = Object.hasOwn(settings, first) ? (settings as Rows<Names>)[first] : undefined
  return rest.length === 0 ? row : row?.table && rowAt(row.table.settings, rest.join('.'))
}

function valueAt(settings: unknown, name: string): unknown {
  return name
    .split('.')
    .reduce<unknown>((within, part) => (isRecord(within) ? within[part] : undefined), settings)
}
