/**
 * Lists of Azure over all their pages. Answers say where the next page is, so the number of pages is limited here; that a
 * token is sent to no other origin is decided by `http-client.ts`.
 */
import { ArmError, BAD_ANSWER } from './arm-error.ts';
import type { ArmClients } from './clients.ts';

/** The items of a list of an SDK. @throws {ArmError} for a list that does not end. */
export async function* pagesOf<T>(list: {
  byPage(): AsyncIterable<readonly T[]>;
}): AsyncGenerator<T, void, undefined> {
  let pages = 0;
  for await (const page of list.byPage()) {
    yield* page;
    pages += 1;
    if (pages >= MAX_PAGES) throw endless();
  }
}

/** The items of a list as they are on the wire. */
export async function jsonPages<T>(
  { getJson, environment }: Pick<ArmClients, 'getJson' | 'environment'>,
  path: string,
): Promise<readonly T[]> {
  const found: T[] = [];
  let url: string | undefined = `${environment.resourceManagerUrl}${path}`;
  for (let pages = 0; url !== undefined; pages++) {
    if (pages >= MAX_PAGES) throw endless();
    const page = (await getJson(url)) as { readonly value?: readonly T[]; readonly nextLink?: string };
    for (const each of page.value ?? []) found.push(each);
    url = page.nextLink || undefined;
  }
  return found;
}

// ---------------------------------------------------------------------------------------------------

/** The longest list, the sizes of a region, has two. */
const MAX_PAGES = 1_000;

function endless(): ArmError {
  return new ArmError({ code: BAD_ANSWER, message: `a list does not end after ${MAX_PAGES} pages` });
}
