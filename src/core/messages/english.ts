// The English text of every error of the framework (ERR-MSG). The specification and Django REST framework fix the texts.

import { type CodeOf, defineMessages, type ErrorDetail, type TranslationOf } from './catalogue.ts'

/** Creates an error with a message of the framework. */
export const frameworkMessages = defineMessages({
  // exceptions
  error: 'A server error occurred.',
  parse_error: 'Malformed request.',
  'parse_error.json': 'JSON parse error - {reason}',
  'parse_error.json_depth': 'JSON parse error - nested too deeply',
  'parse_error.json_range': 'JSON parse error - number out of range',
  'parse_error.encoding': '{prefix} - the body is not valid UTF-8',
  'parse_error.form_fields': 'Form parse error - too many fields',
  'parse_error.multipart': 'Multipart form parse error - {reason}',
  bad_request: 'Bad request.',
  'bad_request.incomplete': 'The request body is incomplete.',
  too_many_rows: 'This request would write or delete more than {max} rows. Send several smaller requests.',
  invalid_host: 'Invalid host.',
  invalid_scheme: 'Invalid scheme.',
  authentication_failed: 'Incorrect authentication credentials.',
  'authentication_failed.password': 'Invalid username/password.',
  'authentication_failed.token': 'Invalid token.',
  'authentication_failed.inactive': 'User inactive or deleted.',
  'authentication_failed.remote_user': 'Invalid remote user.',
  'authentication_failed.basic_missing': 'Invalid basic header. No credentials provided.',
  'authentication_failed.basic_spaces': 'Invalid basic header. Credentials string should not contain spaces.',
  'authentication_failed.basic_encoding': 'Invalid basic header. Credentials not correctly base64 encoded.',
  'authentication_failed.token_missing': 'Invalid token header. No credentials provided.',
  'authentication_failed.token_spaces': 'Invalid token header. Token string should not contain spaces.',
  'authentication_failed.token_characters': 'Invalid token header. Token string should not contain invalid characters.',
  not_authenticated: 'Authentication credentials were not provided.',
  permission_denied: 'You do not have permission to perform this action.',
  csrf_failed: 'CSRF Failed: {reason}.',
  'permission_denied.no_account': 'You need an account to do this.',
  'permission_denied.no_tenant': 'You belong to no tenant, so you cannot create this.',
  'permission_denied.signature': 'The link to the file is not valid, or has expired.',
  not_found: 'Not found.',
  'not_found.page': 'Invalid page.',
  'not_found.cursor': 'Invalid cursor',
  'not_found.version_header': 'Invalid version in request header.',
  'not_found.version_query': 'Invalid version in query parameter.',
  method_not_allowed: "Method '{method}' not allowed.",
  not_acceptable: 'Could not satisfy the request Accept header.',
  'not_acceptable.version': 'Invalid version in "Accept" header.',
  conflict: 'The resource was changed by another request. Try again.',
  protected: 'Other objects refer to this one.',
  feed_position_expired: 'The changes since this position are no longer kept. Read the list again.',
  'conflict.idempotency_key': 'A request with this Idempotency-Key is still running. Try again later.',
  idempotency_key_reused: 'This Idempotency-Key was used with another request body.',
  'bad_request.idempotency_key': 'The Idempotency-Key must have 1 to {limit} characters.',
  'bad_request.idempotency_keys': 'A request must not have more than one Idempotency-Key.',
  'bad_request.idempotent_upload': 'An upload cannot have an Idempotency-Key.',
  'bad_request.precondition_of_many':
    'A precondition such as If-Match is about one object. Send it to the URL of that object.',
  precondition_failed: 'The resource is not in the state that the request expects.',
  precondition_required: 'Send the ETag of the resource in the header If-Match.',
  payload_too_large: 'Request body is too large.',
  'payload_too_large.field': 'A field is larger than {limit} bytes.',
  'payload_too_large.file': 'A file is larger than {limit} bytes.',
  unsupported_media_type: 'Unsupported media type "{type}" in request.',
  throttled: 'Request was throttled.',
  'throttled.second': 'Request was throttled. Expected available in {seconds} second.',
  'throttled.seconds': 'Request was throttled. Expected available in {seconds} seconds.',
  service_unavailable: 'The service is temporarily unavailable. Try again later.',
  statement_timeout: 'The database did not finish in time. Ask for less, or try again later.',
  outcome_unknown:
    'The connection to the database was lost. The change may or may not have been made: look before you try again.',
  insufficient_storage: 'There is no space left to store this.',

  // every field
  required: 'This field is required.',
  null: 'This field may not be null.',
  fixed: 'This field cannot be changed after creation.',
  unique: 'This field must be unique.',
  'unique.set': 'The fields {fields} must make a unique set.',
  constraint: 'This value is not allowed.',
  'constraint.values': 'These values are not allowed.',
  'constraint.fields': 'The values of the fields {fields} are not allowed together.',
  invalid: 'Invalid input.',
  'invalid.object': 'Invalid data. Expected a dictionary, but got {type}.',
  'invalid.out_of_range': 'A value is out of range.',

  // parameters of lists
  'invalid.filter': 'Give this parameter once: the filter takes one value.',
  'invalid.ordering': 'The list cannot be ordered by this name.',
  'invalid.ordering.nearest': 'The list cannot be ordered by this name. Did you mean "{nearest}"?',
  'invalid.range': 'Give two values, separated by a comma.',
  'invalid.quotes': 'End a value in quotation marks with one, and double those inside it.',
  'invalid.pattern': 'The regular expression has a mistake at character {position}: "{part}".',
  'invalid.pattern.unsupported': 'The regular expression has "{part}" at character {position}, which is not supported.',
  'invalid.pattern.repeated':
    'The regular expression repeats ^, $ or \\b by "{part}" at character {position}, which is not supported.',
  'invalid.pattern.size':
    'The regular expression is too large: with all its repetitions, it may have {characters} characters, and {assertions} of ^, $ and \\b.',
  max_filters: 'Too many filters: at most {max}.',
  within_filter: '{filter}: {error}',
  max_groups: 'Too many groups of filters: at most {max}.',
  max_position:
    'The values by which the list is ordered are too long for a link to the next page. Order the list by other fields.',
  max_offset:
    'Too far into the list: at most {max} rows may come before a page. Narrow the list with filters, or read it with cursor pagination.',
  unknown_parameter: 'There is no such parameter.',
  'unknown_parameter.nearest': 'There is no such parameter. Did you mean "{nearest}"?',

  unknown_field: 'There is no field "{name}".',
  'unknown_field.nearest': 'There is no field "{name}". Did you mean "{nearest}"?',
  not_expandable: '"{name}" cannot be expanded.',
  'not_expandable.nearest': '"{name}" cannot be expanded. Did you mean "{nearest}"?',
  max_names: 'Too many names: at most {max}.',

  // fields by type
  'invalid.string': 'Not a valid string.',
  'invalid.color': 'Enter a colour such as #1f6feb.',
  'invalid.email': 'Enter a valid email address.',
  'invalid.slug': 'Enter a valid "slug" consisting of letters, numbers, underscores or hyphens.',
  'invalid.url': 'Enter a valid URL.',
  'invalid.uuid': 'Must be a valid UUID.',
  'invalid.integer': 'A valid integer is required.',
  'invalid.number': 'A valid number is required.',
  'invalid.boolean': 'Must be a valid boolean.',
  'invalid.date': 'Date has wrong format. Use one of these formats instead: YYYY-MM-DD.',
  'invalid.time': 'Time has wrong format. Use one of these formats instead: hh:mm[:ss[.uuuuuu]].',
  'invalid.datetime':
    'Datetime has wrong format. Use one of these formats instead: YYYY-MM-DDThh:mm[:ss[.uuuuuu]][+HH:MM|-HH:MM|Z].',
  'invalid.duration': 'Duration has wrong format. Use one of these formats instead: [DD] [HH:[MM:]]ss[.uuuuuu].',
  'invalid.json': 'Value must be valid JSON.',
  'invalid.key': '"." and ".." cannot stand in a URL.',
  reserved: 'The URL of "{value}" is taken. Choose another value.',
  'invalid.public_id': 'Expected a text such as "{example}".',
  'invalid.related': 'Invalid value.',
  blank: 'This field may not be blank.',
  null_characters_not_allowed: 'Null characters are not allowed.',
  max_length: 'Ensure this field has no more than {max} characters.',
  min_length: 'Ensure this field has at least {min} characters.',
  max_value: 'Ensure this value is less than or equal to {max}.',
  min_value: 'Ensure this value is greater than or equal to {min}.',
  max_string_length: 'String value too large.',
  max_digits: 'Ensure that there are no more than {max} digits in total.',
  max_decimal_places: 'Ensure that there are no more than {max} decimal places.',
  max_whole_digits: 'Ensure that there are no more than {max} digits before the decimal point.',
  overflow: 'The number of days must be between -{days} and {days}.',
  invalid_choice: '"{value}" is not a valid choice.',
  not_a_list: 'Expected a list of items but got type "{type}".',
  empty: 'This list may not be empty.',
  repeated: 'This key is given twice.',
  nested_level: 'This field cannot be written at this level.',
  nothing_to_change: 'There is no object to change.',
  'max_length.list': 'Ensure this field has no more than {max} elements.',
  'min_length.list': 'Ensure this field has at least {min} elements.',
  does_not_exist: 'Invalid pk "{value}" - object does not exist.',
  'does_not_exist.url': 'Invalid hyperlink - Object does not exist.',
  'does_not_exist.unknown': 'Invalid pk - object does not exist.',
  'does_not_exist.field': 'Object with {field}={value} does not exist.',
  'does_not_exist.field_unknown': 'Object with this {field} does not exist.',
  incorrect_type: 'Incorrect type. Expected pk value, received {type}.',
  'incorrect_type.url': 'Incorrect type. Expected URL string, received {type}.',
  'invalid.file':
    'Send the file to the URL of its own resource, in a body of the type multipart/form-data. In JSON, null removes it.',
  'invalid.image': 'Upload a valid image. The file is not an image, or is damaged.',
  'invalid.file_type': 'Files of the type {type} are not accepted. The types are {types}.',
  file_empty: 'The submitted file is empty.',
  file_without_name: 'No filename could be determined.',
  file_repeated: 'Send one file.',
  file_of_child: 'Files cannot be sent inside this field. Send each to the URL of its own object.',
  max_size: 'The file is too large: at most {max} bytes.',
  max_width: 'The image is too wide: at most {max} pixels.',
  max_height: 'The image is too high: at most {max} pixels.',
  password_mismatch: 'The two values are not the same.',
  no_match: 'Invalid hyperlink - No URL match.',
  incorrect_match: 'Invalid hyperlink - Incorrect URL match.',
})

/** The framework's English texts. */
export type FrameworkTexts = (typeof frameworkMessages)['texts']

/** A key of the framework's messages. */
export type MessageKey = keyof FrameworkTexts

/** A code of the framework's errors. */
export type MessageCode = CodeOf<MessageKey>

/** All texts of the framework in one language. */
export type Messages = TranslationOf<typeof frameworkMessages>

/** A text as a declaration gives it: the same in every language, or a message that other languages translate. */
export type MessageText = string | ErrorDetail

/** The English text of a declaration. */
export const readEnglish = (text: MessageText): string => (typeof text === 'string' ? text : text.message)
