/**
 * For the rooms above: the network itself, and refs, questions and endpoints across it. The package does not export
 * it.
 */
export type { Endpoint } from './ref/local-recipients.ts'
export { RemoteQuestion, RemoteRef } from './ref/remote-ref.ts'
export { remoteSettingsTable } from './remote-settings.ts'
export {
  problemsWithAdvertised,
  problemsWithSecret,
  problemWithReach,
  refuseInsecureBind,
  type RemotingOptions,
  warnOfOpenBind,
} from './remoting-options.ts'
export { Remoting } from './remoting.ts'
export { openTls } from './tls/open-tls.ts'
export { problemsWithTls } from './tls/tls-options.ts'
