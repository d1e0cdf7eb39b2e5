/**
 * The user data of a node: settings with their sources, in the format of the image family. The same input always gives the
 * same bytes.
 */
import { bootstrapScriptUserData } from './bootstrap-script.ts';
import { bottlerocketUserData } from './bottlerocket.ts';
import { BOOTSTRAP_FAMILIES, type UserDataFormat } from './families.table.ts';
import type { EksBootstrapInput } from './input.ts';
import { type NodeSettings, resolveSettings } from './node-settings.ts';
import { nodeadmUserData } from './nodeadm.ts';
import { powershellUserData } from './powershell.ts';
import {
  type FormattedUserData,
  finished,
  type RenderedUserData,
  type UserDataWarning,
} from './user-data.ts';
import { verbatimUserData } from './verbatim.ts';

/** @throws {UserDataError} when the input cannot become user data, or becomes too much. */
export function renderUserData(input: EksBootstrapInput): RenderedUserData {
  const { family } = input.nodeClass;
  const formatted = FORMATS[BOOTSTRAP_FAMILIES[family].format](resolveSettings(input));
  return finished(family, { ...formatted, warnings: [...ignoredFields(input), ...formatted.warnings] });
}

// ---------------------------------------------------------------------------------------------------

const FORMATS: Readonly<Record<UserDataFormat, (settings: NodeSettings) => FormattedUserData>> = {
  nodeadm: nodeadmUserData,
  bootstrapScript: bootstrapScriptUserData,
  bottlerocket: bottlerocketUserData,
  powershell: powershellUserData,
  verbatim: verbatimUserData,
};

/** Fields of the class that the family has no use for. Karpenter ignores them without a word. */
function ignoredFields({ nodeClass }: EksBootstrapInput): readonly UserDataWarning[] {
  const { family, spec } = nodeClass;
  const row = BOOTSTRAP_FAMILIES[family];
  const ignored = [
    ...(spec.instanceStorePolicy !== undefined && !row.instanceStore ? ['instanceStorePolicy'] : []),
    ...(spec.kubelet !== undefined && row.kubelet === 'none' ? ['kubelet'] : []),
  ];
  return ignored.map((field) => ({
    code: 'ignoredByFamily',
    path: `spec.${field}`,
    message: `it has no effect on nodes of the image family ${family}`,
  }));
}
