import { warn } from '../logging/standard-streams.ts'
import type { Services } from '../services.ts'
import { prepareNew } from './prepare-new.ts'

export interface RotateSecretOptions {
  readonly lost?: boolean
}

/** Encrypts all tokens with SECRET_KEY, so that earlier secrets are no longer needed. */
export async function rotateSecret(services: Services, { lost = false }: RotateSecretOptions): Promise<void> {
  await prepareNew(services, 'migrate')
  const rotation = await services.accounts.secretRecord.rotate({ lost })
  services.accounts.audit.recordCommand('secret changed', 'rotate-secret')
  warn(`Encrypted ${formatCount(rotation.encrypted)} with SECRET_KEY, which is now the only key of this database.`)
  if (rotation.lost > 0)
    warn(
      `${formatCount(rotation.lost)} cannot be shown again: each is valid until the next login of its user, which replaces it.`,
    )
}

const formatCount = (tokens: number): string => (tokens === 1 ? '1 token' : `${tokens} tokens`)
