/** Compares the user data of both sides field by field, and looks each difference up in the table. */
import { renderUserData } from '../../../packages/chandler/src/bootstrap/index.ts';
import { blockDeviceMappings } from '../../../packages/chandler/src/cloud/aws/index.ts';
import { WANTED, type WantedDifference } from './differences.table.ts';
import { type Fields, flat, userDataFields } from './fields.ts';
import { ownInput, type RenderRequest } from './inputs.ts';

/** What the Go program answers. */
export interface UpstreamAnswer {
  readonly name: string;
  readonly userData: string;
  readonly blockDeviceMappings: readonly unknown[] | null;
  readonly error?: string;
}

export interface Difference {
  readonly input: string;
  readonly field: string;
  readonly upstream: string | undefined;
  readonly ours: string | undefined;
  /** Absent for a difference that no one wants. */
  readonly wanted: WantedDifference | undefined;
}

export interface Comparison {
  readonly fields: number;
  readonly differences: readonly Difference[];
}

export function compare(asked: RenderRequest, answer: UpstreamAnswer): Comparison {
  if (answer.error !== undefined) throw new Error(`upstream cannot render ${asked.name}: ${answer.error}`);
  const input = ownInput(asked);
  const disks = blockDeviceMappings(input.nodeClass.family, asked.nodeClass.spec!.blockDeviceMappings);
  const ours = withDisks(userDataFields(renderUserData(input).text), disks);
  const theirs = withDisks(userDataFields(answer.userData), answer.blockDeviceMappings ?? []);
  const names = [...new Set([...theirs.keys(), ...ours.keys()])].sort();
  return {
    fields: names.length,
    differences: names.flatMap((field) => {
      const [upstream, own] = [theirs.get(field), ours.get(field)];
      if (upstream === own) return [];
      return [
        {
          input: asked.name,
          field,
          upstream,
          ours: own,
          wanted: wantedDifference(asked.name, field, upstream),
        },
      ];
    }),
  };
}

/** Rows of the table that explain nothing any more. */
export function unusedRows(differences: readonly Difference[]): readonly WantedDifference[] {
  const used = new Set(differences.map(({ wanted }) => wanted));
  return WANTED.filter((row) => !used.has(row));
}

// ---------------------------------------------------------------------------------------------------

function wantedDifference(
  name: string,
  field: string,
  upstream: string | undefined,
): WantedDifference | undefined {
  return WANTED.find(
    (row) =>
      row.input.test(name) &&
      row.field.test(field) &&
      (row.upstream === undefined || row.upstream === upstream),
  );
}

function withDisks(fields: Fields, disks: readonly unknown[]): Fields {
  return new Map([...fields, ...disks.flatMap((disk, index) => flat(disk, `disk[${index}]`))]);
}
