/** The CRDs of all our kinds as the files of the CRD chart. */
import { crdYaml } from '../schema/crd-yaml.ts';
import { KINDS } from './index.ts';

export interface CrdFile {
  /** From the root of the repository. */
  readonly path: string;
  readonly text: string;
}

/** The files of the CRD chart. Joined with `---` between them they are what `chandler crds` prints. */
export function crdFiles(): CrdFile[] {
  return KINDS.map((kind) => ({
    path: `charts/chandler-crd/templates/${kind.group}_${kind.plural}.yaml`,
    text: crdYaml(kind),
  }));
}
