/** Certificates in files of a folder, replaced as an operator or a mounted volume does it: each whole, one after the other. */
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TlsOptions } from '../../src/remote/index.ts'
import type { Credentials } from './certificates.ts'

export class CertificateFiles {
  readonly folder = mkdtempSync(join(tmpdir(), 'sherd-tls-'))

  constructor(ca: string, { cert, key }: Credentials) {
    this.write({ ca, cert, key })
  }

  get tls(): TlsOptions {
    return { ca: this.path('ca'), cert: this.path('cert'), key: this.path('key') }
  }

  path(name: keyof TlsOptions): string {
    return join(this.folder, `${name}.pem`)
  }

  write(texts: Partial<Record<'ca' | 'cert' | 'key', string>>): void {
    for (const [name, text] of Object.entries(texts)) {
      writeFileSync(join(this.folder, `${name}.new`), text)
      renameSync(join(this.folder, `${name}.new`), join(this.folder, `${name}.pem`))
    }
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true })
  }
}
