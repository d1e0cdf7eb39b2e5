/** User data of a custom image: what the user wrote, to the letter. The image must do the rest. */
import { UNREGISTERED_TAINT } from '../../api/index.ts';
import type { NodeSettings } from './node-settings.ts';
import type { FormattedUserData, UserDataWarning } from './user-data.ts';

export function verbatimUserData({ userData }: NodeSettings): FormattedUserData {
  const { value, source, path } = userData;
  const warnings: UserDataWarning[] = value.includes(UNREGISTERED_TAINT.key)
    ? []
    : [
        {
          code: 'noUnregisteredTaint',
          path,
          message:
            `nodes of a custom image register only with the taint ${UNREGISTERED_TAINT.key}:${UNREGISTERED_TAINT.effect}; ` +
            'the user data does not contain it, so the image itself must start the kubelet with it',
        },
      ];
  const size = `${Buffer.byteLength(value)} bytes`;
  return {
    text: value,
    values: [{ name: 'user data', group: 'own user data', value: size, source, path, default: '' }],
    warnings,
  };
}
