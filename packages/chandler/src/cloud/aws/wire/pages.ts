/** Lists that come in pages. */
import { AwsError, BAD_ANSWER } from '../errors/index.ts';
import type { Call, CallOptions } from './calls.ts';

/** Far above what any list here needs: a server that always has one more page must not hold the caller for ever. */
const MAX_PAGES = 2_000;

interface Paged {
  NextToken?: string | undefined;
}

/** The items of all pages. @throws {AwsError} also when a page repeats the token it was asked with. */
export async function allPages<Input extends Paged, Output extends Paged, Item>(
  call: Call<Input, Output>,
  input: Input,
  itemsOf: (page: Omit<Output, '$metadata'>) => readonly Item[] | undefined,
  options: CallOptions,
): Promise<Item[]> {
  const items: Item[] = [];
  let token: string | undefined;
  for (let pages = 0; pages < MAX_PAGES; pages += 1) {
    const page = await call(token === undefined ? input : { ...input, NextToken: token }, options);
    items.push(...(itemsOf(page) ?? []));
    const next = (page as Paged).NextToken;
    if (next === undefined || next === '') return items;
    if (next === token) break;
    token = next;
  }
  throw new AwsError({ code: BAD_ANSWER, message: 'a list has no last page' });
}
