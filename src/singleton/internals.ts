/** For the rooms above: the singletons of a node, and who runs them. The package does not export it. */
export { byAge } from './oldest.ts'
export { singletonSettingsTable } from './singleton-settings.ts'
export { Singletons } from './singletons.ts'
