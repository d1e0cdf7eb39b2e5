/** `chandler version`: prints the version. */
import { versionVerb } from '../version-verb.ts';

export const version = versionVerb({
  program: 'chandler',
  description: 'Prints the version of chandler and of Node.js.',
  text: ({ version, node, platform }) => `chandler ${version} (Node.js ${node}, ${platform})\n`,
});
