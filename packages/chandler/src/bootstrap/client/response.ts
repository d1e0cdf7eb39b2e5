/** What the bootstrapping server answers: custom data and a command, with a place left for the bootstrap token. */
import { BootstrapError, type Rendered } from '../bootstrapper.ts';
import { customDataOf, fromBase64 } from '../custom-data.ts';

/** What the server writes where the token belongs; it does not know the token. */
export const TOKEN_PLACEHOLDER = '{{.TokenID}}.{{.TokenSecret}}';

/** @throws {BootstrapError} `serverAnswer` for what is no such answer. */
export function readResponse(text: string, token: string): Rendered {
  const answer = parse(text);
  const customData = field(answer, 'customData');
  const cse = field(answer, 'cse');
  if (!/^[A-Za-z0-9+/\s]*={0,2}\s*$/.test(customData)) throw odd('its field customData is not base64');
  const script = fromBase64(customData).replaceAll(TOKEN_PLACEHOLDER, () => token);
  const { base64, bytes } = customDataOf(script);
  return {
    customData: base64,
    script,
    bytes,
    variables: [],
    cseCommand: cse.replaceAll(TOKEN_PLACEHOLDER, () => token),
  };
}

// ---------------------------------------------------------------------------------------------------

function parse(text: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw odd(text === '' ? 'it is empty' : 'it is not JSON');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw odd('it is not a JSON object');
  return value as Readonly<Record<string, unknown>>;
}

function field(answer: Readonly<Record<string, unknown>>, name: string): string {
  const value = answer[name];
  if (typeof value !== 'string' || value === '') throw odd(`its field ${name} is not a non-empty string`);
  return value;
}

/** The answer itself is not quoted: it may hold secrets of the cluster. */
function odd(what: string): BootstrapError {
  return new BootstrapError('serverAnswer', `the response of the bootstrapping server is invalid: ${what}`, {
    path: 'nodebootstrapping-server-url',
    retryable: true,
  });
}
