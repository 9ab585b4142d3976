/**
 * Settings of which there are several kinds, told apart by one word among them, such as `{ strategy: 'keep-oldest', … }`. Each
 * kind has a table of its own, so a setting that belongs to another kind is a problem, and so is a kind that is none.
 */
import { isRecord } from './is-object.ts'
import type { Figures, Setting, SettingsTable, TableOf } from './settings-table.ts'
import { show } from './show.ts'
import { type NamePlaces, unknownSettings } from './unknown-names.ts'

/** One table for each kind. */
type Kinds<Settings extends object, Tag extends keyof Settings> = {
  readonly [Kind in Settings[Tag] & string]: SettingsTable<
    Extract<Settings, { readonly [name in Tag]: Kind }>
  >
}

/** The table of a union of settings, by the word that tells them apart. */
export class VariantTable<
  Settings extends object,
  Tag extends keyof Settings & string,
> implements TableOf<Settings> {
  /** Of all kinds together, for those who look for a name. */
  readonly settings: Readonly<Record<string, Setting<unknown>>>
  readonly relations: readonly string[]
  readonly defaults: Settings
  readonly kinds: readonly string[]
  readonly #tag: Tag
  readonly #byDefault: SettingsTable<Settings>
  readonly #tables: ReadonlyMap<unknown, SettingsTable<Settings>>

  /** `byDefault` is the kind where none was said. */
  constructor(tag: Tag, byDefault: Settings[Tag] & string, tables: Kinds<Settings, Tag>) {
    const entries = Object.entries(tables) as [string, SettingsTable<Settings>][]
    this.#tag = tag
    this.#tables = new Map(entries)
    this.#byDefault = this.#tables.get(byDefault) as SettingsTable<Settings>
    this.kinds = entries.map(([kind]) => kind)
    this.settings = Object.assign({}, ...entries.map(([, { settings }]) => settings)) as Readonly<
      Record<string, Setting<unknown>>
    >
    this.relations = entries.flatMap(([, { relations }]) => relations)
    this.defaults = this.#byDefault.defaults
  }

  /** What was chosen, with the defaults of its kind for the rest. Nothing is checked. */
  complete(chosen: unknown): Settings {
    return this.#tableFor(chosen).complete(chosen)
  }

  sound(given: unknown): Settings {
    return this.#tableFor(given).sound(given)
  }

  problemsWith(given: unknown, figures: Figures = {}, path = '', places?: NamePlaces): string[] {
    const kind = this.#kindOf(given)
    const table = this.#tables.get(kind)
    if (!isRecord(given) || table !== undefined) {
      return this.#tableFor(given).problemsWith(given, figures, path, places)
    }
    // Of a kind that there is not, nothing can be said but which names no kind has.
    return [
      ...unknownSettings(given, this.settings, 'a setting', path, places),
      `${path}${this.#tag} must be one of ${this.kinds.join(', ')}, not ${show(kind)}`,
    ]
  }

  #kindOf(given: unknown): unknown {
    const kind = isRecord(given) ? given[this.#tag] : undefined
    return kind === undefined ? this.defaults[this.#tag] : kind
  }

  #tableFor(given: unknown): SettingsTable<Settings> {
    return this.#tables.get(this.#kindOf(given)) ?? this.#byDefault
  }
}
