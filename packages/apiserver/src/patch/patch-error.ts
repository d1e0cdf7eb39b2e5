/**
 * The errors of a well-formed patch that cannot be applied.
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
