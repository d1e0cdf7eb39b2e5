/** For tests of what must not succeed. */
import { expect } from 'vitest';
import { FlexError, type FlexErrorFacts } from './flex-error.ts';

/** Returns the `FlexError` that the work throws. Fails the test if it succeeds or throws another error. */
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
