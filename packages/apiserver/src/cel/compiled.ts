/** What compiling gives: the type of an expression, and the function that evaluates it. */
import { CompileError } from './syntax.ts';
import { type CelType, isDyn, typeText } from './types.ts';
import type { CelValue } from './values.ts';

/** What a running expression sees: the variables by slot. */
export type Frame = CelValue[];
export type Run = (frame: Frame) => CelValue;

export interface Compiled {
  readonly type: CelType;
  readonly run: Run;
}

/** The part must have this type, or be dynamic. */
export function expectType(part: Compiled, type: CelType, at: number): Compiled {
  if (part.type === type || isDyn(part.type)) return part;
  throw new CompileError(`expected type '${typeText(type)}' but found '${typeText(part.type)}'`, at);
}
