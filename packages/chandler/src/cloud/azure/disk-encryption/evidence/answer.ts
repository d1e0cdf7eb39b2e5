/**
 * How asking went: seen, not there, refused, or no answer that makes sense. The pieces of evidence decide on this;
 * what the SDKs throw has become an `ArmError` before. Nothing here knows what was asked.
 */
import { type ArmError, BAD_ANSWER, NO_TOKEN, toArmError } from '../../../../arm/index.ts';

export type Answer<T> =
  | { readonly state: 'seen'; readonly value: T }
  | { readonly state: NotSeen; readonly error: ArmError };

/** `absent`: Azure says that there is no such thing. `silent`: nothing is known. */
export type NotSeen = 'absent' | 'refused' | 'silent';

export async function ask<T>(question: () => Promise<T>): Promise<Answer<T>> {
  try {
    return { state: 'seen', value: await question() };
  } catch (thrown) {
    const error = toArmError(thrown);
    return { state: stateOf(error), error };
  }
}

export function errorText(error: ArmError): string {
  return oneLine(error.message.includes(error.code) ? error.message : `${error.code}: ${error.message}`);
}

/** A condition is read by people in a terminal: one line, of a length one can take in. */
export function oneLine(message: string): string {
  const line = message.replace(/\s+/g, ' ').trim();
  return line.length > MAX_MESSAGE_LENGTH ? `${line.slice(0, MAX_MESSAGE_LENGTH)}…` : line;
}

// ---------------------------------------------------------------------------------------------------

const MAX_MESSAGE_LENGTH = 400;

function stateOf(error: ArmError): NotSeen {
  // Without a token no request was sent, and a page of a proxy is not a response of Azure.
  if (error.code === NO_TOKEN || error.code === BAD_ANSWER) return 'silent';
  if (error.status === 401 || error.status === 403) return 'refused';
  if (error.status === 400 || error.status === 404 || error.status === 409) return 'absent';
  return 'silent';
}
