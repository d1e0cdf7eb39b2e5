/**
 * Why the controller cannot start: a closed set, each with a text that names the option or object at fault and what to
 * do. The command line prints the message; nobody needs the stack.
 */
export type StartErrorCode =
  /** A kind of ours is not installed, or not in a version that we speak. */
  | 'KindMissing'
  /** The API server forbids what we must do. */
  | 'Forbidden'
  /** The API server did not answer. */
  | 'Unreachable'
  /** Objects could not all be read. */
  | 'NotSynced'
  /** What the cloud says about itself is not valid: a mistake of its provider. */
  | 'BadCloud'
  /** The options do not describe a cloud. */
  | 'BadOption'
  /** The cloud does not let us in, or does not answer. */
  | 'CloudNotReady'
  /** The start was stopped before it finished. */
  | 'Stopped';

export class StartError extends Error {
  override readonly name = 'StartError';
  readonly code: StartErrorCode;

  constructor(code: StartErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
