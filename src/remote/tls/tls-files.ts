/** The files with certificates and keys. */
import { readFile } from 'node:fs/promises'

/** Rejects as the file system does. */
export function readText(path: string): Promise<string> {
  return readFile(path, 'utf8')
}
