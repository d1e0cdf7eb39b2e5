/** The cloud of a question: the one that is named, otherwise the one that the objects of the cluster or of the dump show. */
import type { ObjectReader } from '../../causes/index.ts';
import type { DiagnosisRow } from '../../cloud/index.ts';
import { DEFAULT_CLOUD, DIAGNOSES, diagnosisOf } from '../../cloud/registry.ts';
import { findCloud, type Subject } from '../../diagnose/index.ts';
import type { OpenRequest } from './source.ts';

/** @param subject absent: the question is about the whole cluster. */
export async function chooseCloud(
  { cloud, warn }: Pick<OpenRequest, 'cloud' | 'warn'>,
  reader: ObjectReader,
  subject: Subject | undefined,
): Promise<DiagnosisRow> {
  if (cloud.name !== undefined) return diagnosisOf(cloud.name);
  const { row, others } = await findCloud(DIAGNOSES, reader, subject);
  if (row === undefined) return diagnosisOf(DEFAULT_CLOUD);
  if (others.length > 0)
    warn(
      `the cluster has NodePools or node classes of ${[row, ...others].map(({ title }) => title).join(' and ')}; ` +
        `this is for ${row.title} (--cloud ${row.name}), of which there are most`,
    );
  return row;
}
