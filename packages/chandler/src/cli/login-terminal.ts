/** Where a credential plugin of a kubeconfig can ask the user to log in. */
import { stderr } from 'node:process';

export function loginTerminal(): { write(text: string): unknown } | undefined {
  return stderr.isTTY === true ? stderr : undefined;
}
