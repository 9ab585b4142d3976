/** The messages of this room on the wire: their names, versions and shapes. */
import { isRef } from '../actor/internals.ts'
import { isCount, isFlag, isNumber, isText, listOf, maybe, recordOf } from '../foundation/shape.ts'
import { numberOfSlices } from '../persistence/index.ts'
import { MessageProtocol } from '../serialization/internals.ts'
import type { ProjectionMessage } from './projection-messages.ts'

const isRangeStatus = recordOf({
  range: isCount,
  node: isText,
  place: isText,
  handled: isCount,
  skipped: isCount,
  missed: maybe(isCount),
  behindMs: isNumber,
  failing: maybe(isText),
  isStopped: isFlag,
})

export const projectionProtocol: MessageProtocol<ProjectionMessage> = new MessageProtocol(
  'projection',
  {
    KeepRange: { version: 1, fields: {} },
    ResetRange: { version: 1, fields: { replyTo: isRef } },
    RangeReset: { version: 1, fields: { problem: maybe(isText) } },
    GetProjectionRanges: { version: 1, fields: { projection: isText, replyTo: isRef } },
    ProjectionRanges: {
      version: 1,
      fields: { ranges: listOf(isRangeStatus, numberOfSlices) },
    },
  },
)
