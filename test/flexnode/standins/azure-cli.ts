/** `az`, as far as the agent asks it: who is logged in, log in, a token. In process, as an answer to a host's command. */
import type { Command, CommandResult } from '../../../packages/chandler/src/flexnode/testing.ts';
import { OPERATOR_OBJECT_ID } from './login.ts';
import type { FakeTokenIssuer } from './token-issuer.ts';

export class AzureCliStandin {
  installed = true;
  loggedIn = true;
  cloud = 'AzureCloud';
  /** Whether the person at the terminal types the code. */
  personConsents = true;
  /** Answers of the next requests for a token, before those that succeed. */
  readonly failures: CommandResult[] = [];
  /** Requests for a token do not end by themselves. */
  hangs = false;
  readonly commands: Command[] = [];
  readonly #tokens: FakeTokenIssuer;

  constructor(tokens: FakeTokenIssuer) {
    this.#tokens = tokens;
  }

  answer(command: Command): CommandResult | Promise<CommandResult> {
    this.commands.push(command);
    if (!this.installed) return { exitCode: 127, stdout: '', stderr: 'az: command not found' };
    const words = command.argv.slice(1);
    if (words[0] === 'login') {
      this.loggedIn = command.interactive === true && this.personConsents;
      return { exitCode: this.loggedIn ? 0 : 1, stdout: '', stderr: '' };
    }
    if (!this.loggedIn)
      return { exitCode: 1, stdout: '', stderr: "ERROR: Please run 'az login' to setup account." };
    if (words[1] === 'show') {
      return json({
        environmentName: this.cloud,
        tenantId: this.#tokens.tenantId,
        user: { name: 'operator' },
      });
    }
    if (this.hangs) return untilEnded(command);
    const failure = this.failures.shift();
    if (failure !== undefined) return failure;
    const aud = (words[words.indexOf('--scope') + 1] ?? '').replace(/\/\.default$/, '');
    const accessToken = this.#tokens.issue({ aud, oid: OPERATOR_OBJECT_ID });
    return json({ accessToken, expires_on: this.#tokens.nowSeconds() + 3600, tokenType: 'Bearer' });
  }
}

// ---------------------------------------------------------------------------------------------------

function json(value: unknown): CommandResult {
  return { exitCode: 0, stdout: `${JSON.stringify(value)}\n`, stderr: '' };
}

/** Until it is ended from outside, as a process. */
function untilEnded({ signal }: Command): Promise<CommandResult> {
  return new Promise((resolve) => {
    signal?.addEventListener('abort', () => resolve({ exitCode: 128, stdout: '', stderr: '' }));
  });
}
