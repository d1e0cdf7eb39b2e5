/** For tests of what must not succeed. */
import { expect } from 'vitest';
import { FlexError, type FlexErrorFacts } from './flex-error.ts';

/** What the work failed with. That it succeeds, or throws anything else, fails the test. */
export async function thrownBy(work: Promise<unknown>): Promise<FlexError> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(FlexError);
  return error as FlexError;
}

export async function failure(work: Promise<unknown>): Promise<FlexErrorFacts> {
  return (await thrownBy(work)).facts;
}
