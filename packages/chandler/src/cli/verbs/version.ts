/** `chandler version`: prints the version. */
import { versionVerb } from '../version-verb.ts';

export const version = versionVerb({
  program: 'chandler',
  description: 'Prints the version of chandler, the commit it was built from, and the Node.js it runs on.',
  text: ({ version, commit, node, platform }) =>
    `chandler ${version} (${commit === 'sources' ? 'from sources' : `commit ${commit}`}, Node.js ${node}, ${platform})\n`,
});
