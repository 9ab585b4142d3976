/**
 * For the rooms above: the network itself, and refs, questions and endpoints across it. The package does not export
 * it.
 */
export type { Endpoint } from './ref/local-recipients.ts'
export { RemoteQuestion, RemoteRef } from './ref/remote-ref.ts'
export { remoteSettingsTable } from './remote-settings.ts'
export {
  problemsWithAdvertised,
  problemWithReach,
  refuseInsecureBind,
  type RemotingOptions,
} from './remoting-options.ts'
export { Remoting } from './remoting.ts'
