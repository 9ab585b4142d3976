/** Text that another node may have sent, fit for a log: on one line, without tricks, and not too long. */
import { clip, escapeControls } from '../foundation/text.ts'

export function shown(text: string): string {
  return clip(escapeControls(text), 200)
}
