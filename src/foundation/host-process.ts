/** The port for the operating-system process that a system lives in: its signals and its end. */
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
}
