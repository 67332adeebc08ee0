# Fills a new Redmine with what the tests take for granted: `rails runner redmine.rb`. The database is that of
# `redmine:load_default_data`. Projects are made by the tests themselves.

raise 'the keys are in THROUGHLINE_REDMINE_ADMIN and THROUGHLINE_REDMINE_KEY' unless
  ENV['THROUGHLINE_REDMINE_ADMIN'] && ENV['THROUGHLINE_REDMINE_KEY']

Setting.rest_api_enabled = '1'
Setting.login_required = '1'
# People are shown by their login, so that the suite knows them by one name.
Setting.user_format = 'username'
Setting.cross_project_issue_relations = '1'

def user(login, name, admin: false)
  user = User.new(firstname: name.split.first, lastname: name.split.last, mail: "#{login}@acme.example",
                  mail_notification: 'none')
  user.login = login
  user.admin = admin
  user.password = user.password_confirmation = SecureRandom.hex(16)
  user.save!
  user
end

def key(user, action, value)
  Token.create!(user: user, action: action).update_column(:value, value)
end

root = user('root', 'Root User', admin: true)
key(root, 'api', ENV['THROUGHLINE_REDMINE_ADMIN'])
# No two keys may be the same.
key(root, 'feeds', ENV['THROUGHLINE_REDMINE_ADMIN'].reverse)
key(user('throughline', 'Throughline Account'), 'api', ENV['THROUGHLINE_REDMINE_KEY'])
{ 'ana' => 'Ana Sousa', 'bob' => 'Bob Stone', 'eve' => 'Eve Adams', 'robot' => 'Robot Metal' }
  .each { |login, name| user(login, name) }

# What docs/redmine.md asks for, and no more.
Role.create!(name: 'Tickets', assignable: false, issues_visibility: 'all', permissions: %i[
  view_issues add_issues edit_issues add_issue_notes manage_issue_relations manage_subtasks
])
Role.create!(name: 'Only reads', assignable: false, issues_visibility: 'all', permissions: %i[view_issues])

feature = Tracker.find_by!(name: 'Feature')
fresh = %w[Epic Task].map do |name|
  tracker = Tracker.new(name: name, default_status: feature.default_status)
  tracker.save!
  tracker.copy_workflow_rules(feature)
  tracker
end
raise 'no trackers' unless fresh.all?(&:persisted?)
manager = Role.find_by!(name: 'Manager')
%w[Tickets].each { |name| Role.find_by!(name: name).copy_workflow_rules(manager) }

IssueCustomField.create!(name: 'Component', field_format: 'list', possible_values: %w[Web Ops], is_required: true,
                         is_for_all: false, trackers: Tracker.all.to_a)
IssueCustomField.create!(name: 'Tags', field_format: 'list', possible_values: %w[sso web ops], multiple: true,
                         is_required: false, is_for_all: false, trackers: Tracker.all.to_a)
IssueCustomField.create!(name: 'Found in', field_format: 'string', is_required: false, is_for_all: false,
                         trackers: Tracker.all.to_a)
IssueCustomField.create!(name: 'Reviews', field_format: 'int', is_required: false, is_for_all: false,
                         trackers: Tracker.all.to_a)
