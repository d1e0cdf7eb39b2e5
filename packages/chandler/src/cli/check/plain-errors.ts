/** An error that no check and no reader of files has dealt with is a defect: one line and an exit code of its own, no stack. */
import { escapeControls } from '../../causes/index.ts';
import { type Call, Failure, UsageError } from '../verb.ts';

type Run<C> = (call: C) => Promise<number>;

export function withPlainErrors<C extends Pick<Call, 'terminal' | 'interrupted'>>(run: Run<C>): Run<C> {
  return async (call) => {
    try {
      return await run(call);
    } catch (error) {
      if (error instanceof UsageError || error instanceof Failure || call.interrupted.aborted) throw error;
      const [message] = (error instanceof Error ? error.message : String(error)).split('\n');
      call.terminal.err(
        `chandler check: ${escapeControls(message ?? '')}; this is a defect of chandler check, and nothing was judged\n`,
      );
      const { EXIT_INTERNAL } = await import('../../readiness/index.ts');
      return EXIT_INTERNAL;
    }
  };
}
