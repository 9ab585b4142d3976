/** How references to actors travel inside values. The room that knows actors gives this; here a ref is only its text. */
export interface RefCodec {
  /** Asked of objects that are instances of a class, never of plain ones. */
  isRef(value: object): boolean
  /** The full path, address and incarnation included, so that any node can tell whom it names. */
  toText(ref: object): string
  /** Throws for a text that names no actor; must not look anything up that may run foreign code. */
  fromText(text: string): unknown
}
