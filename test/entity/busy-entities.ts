/** Two kinds of entities, with the same commands, that can be kept busy and tell what they have begun. */
import { defineEntity } from '../../src/entity/index.ts'

export function busyEntities(isBusy: () => void = () => undefined) {
  const held: (() => void)[] = []
  const begun: string[] = []
  const commands = {
    hold: (_self: unknown) => {
      isBusy()
      return new Promise<void>((resolve) => void held.push(resolve))
    },
    note: (_self: unknown, text: string) => void begun.push(text),
  }
  const Plain = defineEntity('Plain', { state: () => 0, commands })
  const Durable = defineEntity('Durable', {
    state: () => 0,
    events: { Happened: (state: number) => state + 1 },
    commands,
  })
  const goOn = (): void => held.splice(0).forEach((end) => end())
  const forget = (): void => void (held.splice(0), begun.splice(0))
  return { Plain, Durable, commands, held, begun, goOn, forget }
}
