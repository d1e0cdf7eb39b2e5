/**
 * Functions on lists: those of Kubernetes (isSorted, sum, min, max, indexOf), of the lists extension (slice, flatten,
 * distinct, sort, …), and sets.
 */
import { type FunctionTable, fn, method, type Overload } from '../overloads.ts';
import {
  TYPE_PARAM_A as A,
  BOOL,
  BYTES,
  type CelType,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  listOf,
  STRING,
  TIMESTAMP,
  UINT,
} from '../types.ts';
import { CelError, CelList, type CelValue, compare, Duration, equal, Uint, ValueList } from '../values.ts';
import { int, uint } from './operators.ts';

export const lists: FunctionTable = new Map<string, readonly Overload[]>([
  ['isSorted', comparable(() => BOOL, isSorted)],
  [
    'min',
    comparable(
      (type) => type,
      (list) => extreme(list, 'min'),
    ),
  ],
  [
    'max',
    comparable(
      (type) => type,
      (list) => extreme(list, 'max'),
    ),
  ],
  [
    'sum',
    SUMMABLE().map(({ type, zero, add }) =>
      method([listOf(type)], type, (list: CelList) => list.items().reduce(add, zero)),
    ),
  ],
  ['indexOf', [method([listOf(A), A], INT, (list: CelList, item: CelValue) => position(list.items(), item))]],
  ['lastIndexOf', [method([listOf(A), A], INT, lastPosition)]],
  ['slice', [method([listOf(A), INT, INT], listOf(A), slice)]],
  [
    'flatten',
    [
      method([listOf(listOf(A))], listOf(A), (list: CelList) => new ValueList(flatten(list, 1))),
      method([listOf(DYN), INT], listOf(DYN), (list: CelList, depth: bigint) => {
        if (depth < 0n) throw new CelError('level must be non-negative');
        return new ValueList(flatten(list, Number(depth)));
      }),
    ],
  ],
  ['distinct', [method([listOf(A)], listOf(A), distinct)]],
  ['reverse', [method([listOf(A)], listOf(A), (list: CelList) => new ValueList(list.items().reverse()))]],
  ['sort', comparable(listOf, (list) => sortBy(list.items(), list.items()))],
  [
    'lists.range',
    [
      fn(
        [INT],
        listOf(INT),
        (count: bigint) => new ValueList(Array.from({ length: Number(count) }, (_, i) => BigInt(i))),
      ),
    ],
  ],
  ['sets.contains', [fn([listOf(A), listOf(A)], BOOL, includesAll)]],
  [
    'sets.equivalent',
    [fn([listOf(A), listOf(A)], BOOL, (x: CelList, y: CelList) => includesAll(x, y) && includesAll(y, x))],
  ],
  [
    'sets.intersects',
    [fn([listOf(A), listOf(A)], BOOL, (x: CelList, y: CelList) => x.items().some((item) => has(y, item)))],
  ],
]);

/** The items in the order of their keys; equal keys keep their order. */
export function sortBy(items: readonly CelValue[], keys: readonly CelValue[]): ValueList {
  const order = items.map((_, index) => index);
  order.sort((one, two) => compare(keys[one]!, keys[two]!) || one - two);
  return new ValueList(order.map((index) => items[index]!));
}

// ---------------------------------------------------------------------------------------------------

function comparable(result: (type: CelType) => CelType, run: (list: CelList) => CelValue): Overload[] {
  return [INT, UINT, DOUBLE, BOOL, DURATION, TIMESTAMP, STRING, BYTES].map((type) =>
    method([listOf(type)], result(type), run),
  );
}

function SUMMABLE(): { type: CelType; zero: CelValue; add: (x: CelValue, y: CelValue) => CelValue }[] {
  return [
    { type: INT, zero: 0n, add: (x, y) => int((x as bigint) + (y as bigint)) },
    { type: UINT, zero: new Uint(0n), add: (x, y) => uint((x as Uint).value + (y as Uint).value) },
    { type: DOUBLE, zero: 0, add: (x, y) => (x as number) + (y as number) },
    {
      type: DURATION,
      zero: new Duration(0n),
      add: (x, y) => new Duration((x as Duration).ns + (y as Duration).ns),
    },
  ];
}

function isSorted(list: CelList): boolean {
  const items = list.items();
  return items.every((item, index) => index === 0 || compare(items[index - 1]!, item) <= 0);
}

function extreme(list: CelList, which: 'min' | 'max'): CelValue {
  const items = list.items();
  if (items.length === 0) throw new CelError(`${which} called on empty list`);
  return items.reduce((best, item) => {
    const order = compare(item, best);
    return (which === 'min' ? order < 0 : order > 0) ? item : best;
  });
}

function position(items: readonly CelValue[], item: CelValue): bigint {
  return BigInt(items.findIndex((other) => equal(other, item)));
}

function lastPosition(list: CelList, item: CelValue): bigint {
  return BigInt(list.items().findLastIndex((other) => equal(other, item)));
}

function slice(list: CelList, from: bigint, to: bigint): CelValue {
  if (from < 0n || to < 0n)
    throw new CelError(`cannot slice(${from}, ${to}), negative indexes not supported`);
  if (from > to)
    throw new CelError(`cannot slice(${from}, ${to}), start index must be less than or equal to end index`);
  if (to > list.size) throw new CelError(`cannot slice(${from}, ${to}), list is length ${list.size}`);
  return new ValueList(list.items().slice(Number(from), Number(to)));
}

function flatten(list: CelList, depth: number): CelValue[] {
  return list
    .items()
    .flatMap((item) => (item instanceof CelList && depth > 0 ? flatten(item, depth - 1) : [item]));
}

function distinct(list: CelList): CelValue {
  const kept: CelValue[] = [];
  for (const item of list.items()) if (!kept.some((other) => equal(other, item))) kept.push(item);
  return new ValueList(kept);
}

function has(list: CelList, item: CelValue): boolean {
  for (let index = 0; index < list.size; index++) if (equal(list.at(index), item)) return true;
  return false;
}

function includesAll(list: CelList, others: CelList): boolean {
  return others.items().every((item) => has(list, item));
}
