/**
 * Asks the account one call after another within a limit, and keeps what it answered: resources, what does not exist, and which calls
 * have no answer. Which calls are made is decided in `read-account.ts`; that none is made besides those of the table, here.
 */
import type { LookupFailure } from '../../../causes/index.ts';
import {
  type AwsCalls,
  type CallOptions,
  CHECK_PERMISSIONS,
  type CheckAction,
  looked,
} from '../../../cloud/aws/account.ts';
import { compareTexts, placeText } from '../../model/place.ts';
import { fromValue } from '../../model/tree.ts';
import type { AbsentResource, LiveAccount, Resource } from '../inputs.ts';

/** A check is no load for an account. */
export const MAX_CALLS = 60;
/** Pages of one list. */
const MAX_PAGES = 5;

/** `sts:GetCallerIdentity` needs no permission. */
export type LiveAction = CheckAction | 'sts:GetCallerIdentity';

export type Answer<T> = { readonly found: T } | { readonly missing: true } | { readonly unread: string };

export class AccountReading {
  readonly #calls: AwsCalls;
  readonly #options: CallOptions;
  readonly #resources: Resource[] = [];
  readonly #absent: AbsentResource[] = [];
  readonly #unread = new Map<string, string>();
  #made = 0;

  constructor(calls: AwsCalls, options: CallOptions) {
    this.#calls = calls;
    this.#options = options;
  }

  /** One call. What fails is kept as the reason of its action. @throws an error of the program, and the reason of the signal. */
  async ask<T>(
    action: LiveAction,
    call: (calls: AwsCalls, options: CallOptions) => Promise<T>,
  ): Promise<Answer<T>> {
    if (this.#made >= MAX_CALLS)
      return this.unread(action, `${action} was not called: the limit of ${MAX_CALLS} calls is reached`);
    this.#made += 1;
    const result = await looked(action, () => call(this.#calls, this.#options));
    if ('found' in result) return result;
    return result.why === 'notFound' ? { missing: true } : this.unread(action, failureText(action, result));
  }

  /** All pages of a list: one is worth nothing where another is not known. */
  async list<T>(
    action: LiveAction,
    call: (
      calls: AwsCalls,
      options: CallOptions,
      token: string | undefined,
    ) => Promise<{ readonly items: readonly T[]; readonly next: string | undefined }>,
  ): Promise<Answer<readonly T[]>> {
    const items: T[] = [];
    let token: string | undefined;
    for (let page = 0; page < MAX_PAGES; page += 1) {
      const asked = token;
      const answer = await this.ask(action, (calls, options) => call(calls, options, asked));
      if (!('found' in answer)) return answer;
      items.push(...answer.found.items);
      token = answer.found.next;
      if (token === undefined || token === '') return { found: items };
    }
    return this.unread(action, `${action} has more than ${MAX_PAGES} pages`);
  }

  /** Calls that need the answer of another one. */
  skip(actions: readonly LiveAction[], why: string): void {
    for (const action of actions) this.unread(action, `${action} was not called: ${why}`);
  }

  /** The first reason stays. */
  unread(action: LiveAction, why: string): { readonly unread: string } {
    const known = this.#unread.get(action) ?? why;
    this.#unread.set(action, known);
    return { unread: known };
  }

  /** @param values with the names of the Terraform provider. */
  add(
    action: LiveAction,
    type: string,
    name: string,
    values: object,
    more: Pick<Resource, 'owner'> = {},
  ): void {
    const at = { call: action };
    this.#resources.push({
      source: 'live',
      address: `${type}.${name}`,
      mode: 'managed',
      type,
      name,
      values: fromValue(values, at),
      at,
      ...more,
    });
  }

  addAbsent(action: LiveAction, type: string, name: string): void {
    this.#absent.push({ type, name, at: { call: action } });
  }

  end(readAtMs: number): { readonly resources: readonly Resource[]; readonly live: LiveAccount } {
    // Answers come in any order; the report is the same.
    const key = ({ address, at }: Resource) => `${address} ${placeText(at)}`;
    return {
      resources: this.#resources.toSorted((a, b) => compareTexts(key(a), key(b))),
      live: {
        calls: this.#made,
        readAtMs,
        unread: this.#unread,
        absent: this.#absent.toSorted((a, b) => compareTexts(a.type + a.name, b.type + b.name)),
      },
    };
  }
}

/** There is no way to the account: no call has an answer. */
export function unreadAccount(why: string, readAtMs: number, calls = 0): LiveAccount {
  const actions = Object.keys(CHECK_PERMISSIONS);
  return { calls, readAtMs, absent: [], unread: new Map(actions.map((action) => [action, why])) };
}

// ---------------------------------------------------------------------------------------------------------------

function failureText(action: string, { why, permission, message = '' }: LookupFailure): string {
  switch (why) {
    case 'forbidden':
      return `AccessDenied on ${permission ?? action}`;
    case 'notConfigured':
      return message;
    default:
      return `${action} was not answered: ${message}`;
  }
}
