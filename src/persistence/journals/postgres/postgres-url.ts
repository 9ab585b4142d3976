/** Addresses of PostgreSQL servers: what may be one, and how it is shown to people, without the password. */

export function isPostgresUrl(text: unknown): text is string {
  return typeof text === 'string' && /^postgres(ql)?:\/\/./.test(text)
}

/** Where a store is, without user and password. */
export function placeOfUrl(url: string): string {
  try {
    const { hostname, port, pathname } = new URL(url)
    return `${hostname}${port === '' ? '' : `:${port}`}${pathname}`
  } catch {
    return 'an address that is no url'
  }
}
