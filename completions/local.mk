# SPDX-License-Identifier: LGPL-2.1-or-later
# Where bash-completion and zsh look by themselves; --prefix=/usr or /usr/local.
bashcompletiondir = $(datadir)/bash-completion/completions
zshcompletiondir = $(datadir)/zsh/site-functions
zshcompletion_DATA = %reldir%/_lockfair
EXTRA_DIST += %reldir%/_lockfair %reldir%/lockfair.bash

# bash-completion looks for a file with the name of the command.
install-data-hook:
	$(MKDIR_P) '$(DESTDIR)$(bashcompletiondir)'
	$(INSTALL_DATA) '$(srcdir)/%reldir%/lockfair.bash' \
		'$(DESTDIR)$(bashcompletiondir)/lockfair'
uninstall-hook:
	rm -f '$(DESTDIR)$(bashcompletiondir)/lockfair'
