/** `flexnode version`: the four lines that scripts around the original read, and the same as JSON. */
import { versionVerb } from '../version-verb.ts';

export const version = versionVerb({
  program: 'chandler flexnode',
  description: 'Prints the version of the agent. Reads no config.',
  text: ({ version, commit, buildTime }) =>
    `AKS Flex Node Agent\nVersion: ${version}\nGit Commit: ${commit}\nBuild Time: ${buildTime}\n`,
});
