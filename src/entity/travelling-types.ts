/**
 * What can travel, in types: the arguments and results of commands and what events say. Compile time goes along with what
 * `serialization` takes at run time: data of all kinds, dates, binary data, maps, sets and errors. Where a type cannot
 * tell (a class without methods looks like data), the run time says it.
 */

type IsAny<Value> = 0 extends 1 & Value ? true : false

/** What goes as it is. An error arrives with name, message, code and cause. */
type Leaf =
  | string
  | number
  | bigint
  | boolean
  | null
  | undefined
  | void
  // By this name, since reading its clock is not what a type does.
  | InstanceType<DateConstructor>
  | Error
  | ArrayBuffer
  | DataView
  | TypedArray

type TypedArray =
  | Int8Array
  | Uint8Array
  | Uint8ClampedArray
  | Int16Array
  | Uint16Array
  | Int32Array
  | Uint32Array
  | Float32Array
  | Float64Array
  | BigInt64Array
  | BigUint64Array

type AnyFunction = (...args: never[]) => unknown

declare const cannotTravel: unique symbol

/** Stands where something cannot travel, says what, and is nothing that anybody has. */
export interface CannotTravel<What extends string> {
  readonly [cannotTravel]: What
}

/** The value as it arrives, with `CannotTravel` in place of what cannot. */
export type TravellingValue<Value> =
  IsAny<Value> extends true
    ? Value
    : unknown extends Value
      ? Value
      : Value extends Leaf
        ? Value
        : Value extends AnyFunction
          ? CannotTravel<'a function: send data'>
          : Value extends symbol
            ? CannotTravel<'a symbol: send a text'>
            : Value extends PromiseLike<unknown>
              ? CannotTravel<'a promise: await it'>
              : Value extends readonly (infer Item)[]
                ? TravellingList<Value, Item>
                : Value extends ReadonlyMap<infer Key, infer Item>
                  ? Value extends Map<Key, Item>
                    ? Map<TravellingValue<Key>, TravellingValue<Item>>
                    : ReadonlyMap<TravellingValue<Key>, TravellingValue<Item>>
                  : Value extends ReadonlySet<infer Item>
                    ? Value extends Set<Item>
                      ? Set<TravellingValue<Item>>
                      : ReadonlySet<TravellingValue<Item>>
                    : IsPlain<Value> extends true
                      ? { [Key in keyof Value]: TravellingValue<Value[Key]> }
                      : CannotTravel<'an instance of a class: send a plain object'>

/** Whether there is nothing to an object but its members, and nothing private, as classes have. */
type IsPlain<Value> = { [Key in keyof Value]: Value[Key] } extends Value ? true : false

/** Of plain lists the compiler looks no further than it must, and so comes to an end with a type that holds itself. */
type TravellingList<Value, Item> = Item[] extends Value
  ? Value extends Item[]
    ? TravellingValue<Item>[]
    : readonly TravellingValue<Item>[]
  : { [Key in keyof Value]: TravellingValue<Value[Key]> }

/** Of a command: of a promise, what it resolves with. */
export type TravellingResult<Result> =
  IsAny<Result> extends true
    ? Result
    : Result extends Promise<infer Value>
      ? Promise<TravellingValue<Value>>
      : TravellingValue<Result>
