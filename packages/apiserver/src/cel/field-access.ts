/** `value.field` and `value[index]`: which type it has, and what is found there. */
import { CompileError } from './syntax.ts';
import * as t from './types.ts';
import { CelList, CelMap, type CelValue, isNumeric, noSuchOverload, Uint } from './values.ts';

export function findField(value: CelValue, field: CelValue): CelValue | undefined {
  if (value instanceof CelMap) return value.find(field);
  if (!(value instanceof CelList)) throw noSuchOverload();
  if (!isNumeric(field)) throw noSuchOverload();
  const index = Number(field instanceof Uint ? field.value : field);
  return Number.isInteger(index) && index >= 0 && index < value.size ? value.at(index) : undefined;
}

/** The type of `value.field`; undefined when the field cannot be there. */
export function fieldType(of: t.CelType, field: string, at: number): t.CelType {
  switch (of.kind) {
    case 'object': {
      const type = of.fields.get(field);
      if (type === undefined) throw new CompileError(`undefined field '${field}'`, at);
      return type;
    }
    case 'map':
      return of.value;
    case 'optional': {
      const type = fieldType(of.elem, field, at);
      return type.kind === 'optional' ? type : t.optionalOf(type);
    }
    default:
      if (t.isDyn(of)) return t.DYN;
      throw new CompileError(`type '${t.typeText(of)}' does not support field selection`, at);
  }
}
