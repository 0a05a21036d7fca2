// The types of declarations. The types of clients are made of them, and the compiler names them in the declaration files of
// applications (`declaration: true`), such as those of a repository with several projects.

export type { OwnOrInherited, ViewTypes } from './declared-view.ts'
export type { FieldRecords } from './fields/declared-fields.ts'
export type {
  AnyRecord,
  AnyRecords,
  ChildBody,
  Computed,
  FieldLink,
  FieldRecord,
  HasTrait,
  Joined,
  NamedReference,
  OwnKey,
  RelatedTo,
  Unlinked,
} from './fields/field-types.ts'
export type { OnWire, WireName } from './fields/wire-names.ts'
export type { PageMember } from './pagination/paginator.ts'
export type { TargetOf } from './resources/filters/filter-types.ts'
export type { DeclaredOperations } from './resources/operation-types.ts'
export type {
  Changed,
  Created,
  ListParameters,
  PageParameters,
  Replaced,
  Shown,
} from './resources/representation.ts'
export type { FieldPath } from './resources/resource.ts'
export type { ResponseData, SentData } from './schemas/schema.ts'
export type { View } from './view.ts'
