/** The port for the operating-system process that a system lives in: its signals, its end, and its name among others. */
export interface HostProcess {
  /**
   * Calls `listener` when the operator asks the process to end. A second signal is not held back: it ends the process
   * at once, as it would without us.
   */
  onTerminationSignal(listener: (signal: 'SIGTERM' | 'SIGINT') => void): { remove(): void }
  /**
   * Calls `listener` with an error or a rejection that nobody caught. It would end the process at once; as long as somebody
   * listens, it does not.
   */
  onEscapedError(listener: (error: unknown) => void): { remove(): void }
  /** Ends the process now. */
  exit(code: number): void
  /** The host, the number and the start of this process: no other process ever has the same. Undefined when nobody can tell. */
  readonly identity: string | undefined
  /**
   * Whether the process with this identity has ended. True only with proof: of a process of another host, and wherever the
   * system does not tell, it is false.
   */
  isGone(identity: string): boolean
  /** Whether the process with this identity was seen running just now. Where `isGone` is false, too, nobody can tell. */
  isRunning(identity: string): boolean
}
