/** Small enough to read at once: `file-length` and `function-length`. */
import { functionsOf, type FunctionSpan } from './functions.ts'
import { fileLinesMax, functionLinesMax } from './house.ts'
import type { SourceFile } from './source-file.ts'
import type { Violation } from './violation.ts'

export function sizes(file: SourceFile): Violation[] {
  return [...fileLength(file), ...functionLengths(file)]
}

function fileLength({ path, text }: SourceFile): Violation[] {
  const lines = text.replace(/\n$/, '').split('\n').length
  if (lines <= fileLinesMax) return []
  const advice = `${lines} lines, at most ${fileLinesMax}; look for the second subject in it`
  return [{ path, line: fileLinesMax + 1, rule: 'file-length', advice }]
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
