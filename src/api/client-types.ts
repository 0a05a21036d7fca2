// The types of declarations. The types of clients are made of them, and the compiler names them in the declaration files of
// applications (`declaration: true`), such as those of a repository with several projects.

export type { OwnOrInherited, ViewTypes } from '../core/view/declared/declared-view.ts'
export type { CreatedFields } from '../core/fields/declared-fields.ts'
export type {
  ChildBody,
  HasTrait,
  Joined,
  NamedReference,
  OwnKey,
  RelatedTo,
  ShownBy,
  TakenBy,
} from '../core/fields/field-types.ts'
export type { OnWire, WireName } from '../core/fields/wire-names.ts'
export type { PageMember } from '../core/pagination/paginator.ts'
export type { TargetOf } from '../core/resource/declare/filter-types.ts'
export type { DeclaredOperations } from '../core/resource/declare/operation-types.ts'
export type {
  Changed,
  Created,
  ListParameters,
  PageParameters,
  Replaced,
  Shown,
} from '../core/resource/declare/representation.ts'
export type { FieldPath } from '../core/resource/declare/resource.ts'
export type { ResponseData, SentData } from '../core/view/schemas/schema.ts'
export type { View } from '../core/view/view.ts'
