//! Recognition of network file systems. A write-ahead log needs shared memory and locks, which these do not provide.

use std::path::{Path, PathBuf};

const NETWORK: [&str; 15] = [
    "9p",
    "afs",
    "beegfs",
    "ceph",
    "cifs",
    "fuse.glusterfs",
    "fuse.s3fs",
    "fuse.sshfs",
    "glusterfs",
    "gpfs",
    "lustre",
    "nfs",
    "nfs4",
    "smb3",
    "smbfs",
];

/// Returns the type of the file system that holds `path`, if it is a network file system. Always `None` where there is
/// no `/proc/self/mounts`.
pub(super) fn network_file_system(path: &Path) -> Option<String> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let folder = folder.canonicalize().ok()?;
    let mounts = std::fs::read_to_string("/proc/self/mounts").ok()?;
    kind(&mounts, &folder).filter(|kind| NETWORK.contains(&kind.as_str()))
}

/// Returns the type of the innermost file system that holds a folder. Of two mounted at one place the later counts.
fn kind(mounts: &str, folder: &Path) -> Option<String> {
    let mounted = mounts.lines().filter_map(|line| {
        let mut fields = line.split(' ');
        let (_device, place, kind) = (fields.next()?, fields.next()?, fields.next()?);
        Some((PathBuf::from(place.replace("\\040", " ")), kind))
    });
    let holding = mounted.filter(|(place, _)| folder.starts_with(place));
    holding.max_by_key(|(place, _)| place.components().count()).map(|(_, kind)| kind.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_innermost_mount_counts() {
        let mounts = "/dev/vda / ext4 rw 0 0\nfiler:/x /data nfs4 rw 0 0\n/dev/vdb /data/fast xfs rw 0 0\n\
                      //win/s /mnt/my\\040share cifs rw 0 0\n/dev/vdc /over ext4 rw 0 0\nfiler:/y /over nfs rw 0 0\n";
        let kind = |folder: &str| kind(mounts, Path::new(folder)).unwrap();
        assert_eq!(kind("/var/lib"), "ext4");
        assert_eq!(kind("/data/throughline"), "nfs4");
        assert_eq!(kind("/database"), "ext4");
        assert_eq!(kind("/data/fast/a"), "xfs");
        assert_eq!(kind("/mnt/my share"), "cifs");
        assert_eq!(kind("/over"), "nfs");
    }

    #[test]
    fn a_local_folder_is_no_network() {
        assert_eq!(network_file_system(&std::env::temp_dir().join("t.db")), None);
    }
}
