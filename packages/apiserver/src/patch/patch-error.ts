/**
 * How a patch is refused that was read but does not fit. The server says little about it.
 */
import { ApiError } from '../errors.ts';

/** 422: the patch is well formed but does not fit the object. */
export function patchDoesNotApply(): ApiError {
  return new ApiError(422, 'Invalid', 'the server rejected our request due to an error in our request', {});
}

/** 500 without a reason: what a real server answers where it did not foresee a mistake. */
export function unforeseen(message: string): ApiError {
  return new ApiError(500, '', message);
}
